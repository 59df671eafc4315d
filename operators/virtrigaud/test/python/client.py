"""Asks a provider everything, and prints a line for each thing that is as it should be.

client.py GENERATED TARGET SCENARIO [TLS-FOLDER SERVER-NAME]
"""

import sys
import time

import grpc
from filled import filled
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from peer import credentials, methods, modules

generated, target, scenario, *tls = sys.argv[1:]
pb2, pb2_grpc = modules(generated)


def channel():
    if not tls:
        return grpc.insecure_channel(target)
    folder, name = tls
    ca, key, certificate = credentials(folder)
    own = {} if scenario == "stranger" else {"private_key": key, "certificate_chain": certificate}
    return grpc.secure_channel(
        target,
        grpc.ssl_channel_credentials(root_certificates=ca, **own),
        options=[("grpc.ssl_target_name_override", name)],
    )


def error_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error
    raise AssertionError("no error")


def every_method(stub):
    for name, request, answer in methods(pb2):
        got = getattr(stub, name)(filled(request), timeout=20)
        got.DiscardUnknownFields()  # what an old peer does not know, it need not compare
        assert got == filled(answer), f"{name}: {got}"
        print(f"answered {name}")


def every_code(stub):
    for code in grpc.StatusCode:
        number, _ = code.value
        if number == 0:
            continue
        error = error_of(lambda: stub.Delete(pb2.DeleteRequest(id=code.name), timeout=20))
        assert error.code() == code, error
        assert error.details() == f"because \u00fc\u2603 {code.name}", error
        details = rpc_status.from_call(error).details
        info = error_details_pb2.RetryInfo()
        assert details[0].Unpack(info), error
        assert (info.retry_delay.seconds, info.retry_delay.nanos) == (2, 500_000_000), info
        print(f"refused {code.name}")


def limits(stub):
    error = error_of(lambda: stub.Delete(pb2.DeleteRequest(id="slow"), timeout=0.3))
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error
    print("late")
    call = stub.Delete.future(pb2.DeleteRequest(id="slow"), timeout=20)
    while stub.Delete(pb2.DeleteRequest(id="running"), timeout=20).task.id != "1":
        time.sleep(0.01)
    call.cancel()
    assert call.cancelled()
    print("cancelled")
    unknown = stub_channel.unary_unary("/provider.v1.Provider/Fly")
    assert error_of(lambda: unknown(b"", timeout=20)).code() == grpc.StatusCode.UNIMPLEMENTED
    print("unknown method")
    text = "compressed " * 10_000
    answer = stub.Delete(pb2.DeleteRequest(id=text), timeout=20, compression=grpc.Compression.Gzip)
    assert answer.task.id == text
    print("compressed")


def health():
    import health_pb2
    import health_pb2_grpc

    stub = health_pb2_grpc.HealthStub(stub_channel)
    for name in ("", "provider"):
        status = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=20).status
        assert status == health_pb2.HealthCheckResponse.SERVING, name
    error = error_of(lambda: stub.Check(health_pb2.HealthCheckRequest(service="x"), timeout=20))
    assert error.code() == grpc.StatusCode.NOT_FOUND
    print("healthy")


with channel() as stub_channel:
    stub = pb2_grpc.ProviderStub(stub_channel)
    if scenario == "everything":
        every_method(stub)
        every_code(stub)
        limits(stub)
        health()
    elif scenario == "old":
        every_method(stub)
    elif scenario == "trusted":
        assert stub.Validate(pb2.ValidateRequest(), timeout=20) == filled(pb2.ValidateResponse)
        print("trusted")
    else:
        print(error_of(lambda: stub.Validate(pb2.ValidateRequest(), timeout=20)).code().name)
