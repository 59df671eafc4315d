"""A provider that answers everything with a filled message, and refuses and delays as it is asked to.

server.py GENERATED PORT [TLS-FOLDER]
"""

import sys
import threading
from concurrent import futures

import grpc
from filled import filled
from google.protobuf import any_pb2, duration_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status
from peer import credentials, methods, modules

generated, port, *tls = sys.argv[1:]
pb2, pb2_grpc = modules(generated)
codes = {code.name: code for code in grpc.StatusCode}


def refuse(context, name):
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=2, nanos=500_000_000)))
    status = status_pb2.Status(code=codes[name].value[0], message=f"because \u00fc\u2603 {name}", details=[detail])
    context.abort_with_status(rpc_status.to_status(status))


def handler(name, request_class, answer_class):
    def handle(request, context):
        wanted = filled(request_class)
        request.DiscardUnknownFields()  # what an old peer does not know, it need not compare
        if request == wanted:
            return filled(answer_class)
        if name != "Delete":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"{name}: {request} is not {wanted}")
        if request.id in codes:
            refuse(context, request.id)
        if request.id == "plain":
            raise ValueError("domain not found")
        if request.id == "slow":
            over = threading.Event()
            context.add_callback(over.set)
            over.wait(20)
        return answer_class()

    return handle


class Provider(pb2_grpc.ProviderServicer):
    pass


for method in methods(pb2):
    setattr(Provider, method[0], lambda self, request, context, handle=handler(*method): handle(request, context))

server = grpc.server(
    futures.ThreadPoolExecutor(max_workers=8),
    options=[("grpc.max_connection_age_ms", 100), ("grpc.max_connection_age_grace_ms", 20_000), ("grpc.so_reuseport", 0)],
)
pb2_grpc.add_ProviderServicer_to_server(Provider(), server)
if tls:
    ca, key, certificate = credentials(tls[0])
    secure = grpc.ssl_server_credentials([(key, certificate)], root_certificates=ca, require_client_auth=True)
    chosen = server.add_secure_port(f"127.0.0.1:{port}", secure)
else:
    chosen = server.add_insecure_port(f"127.0.0.1:{port}")
server.start()
print(f"port {chosen}", flush=True)
sys.stdin.read()
server.stop(0).wait()
