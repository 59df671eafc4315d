"""What client.py and server.py share: the generated modules of a folder, and what the old peer does not know."""

import importlib
import sys


def modules(folder):
    sys.path.insert(0, folder)
    return (
        importlib.import_module("provider.v1.provider_pb2"),
        importlib.import_module("provider.v1.provider_pb2_grpc"),
    )


def methods(pb2):
    """Every method of the service: its name and the classes of its request and its answer."""
    for method in pb2.DESCRIPTOR.services_by_name["Provider"].methods:
        yield method.name, getattr(pb2, method.input_type.name), getattr(pb2, method.output_type.name)


def credentials(folder):
    """(ca, key, certificate) of a folder as Kubernetes mounts it."""
    parts = []
    for name in ("ca.crt", "tls.key", "tls.crt"):
        with open(f"{folder}/{name}", "rb") as file:
            parts.append(file.read())
    return tuple(parts)
