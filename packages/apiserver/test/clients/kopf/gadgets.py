# A small operator on Kopf: says in each Gadget's status what it has seen, and lets go of it when it is deleted.
import kopf


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.persistence.finalizer = "clients.example.test/kopf"
    settings.posting.level = 20


@kopf.on.create("clients.example.test", "v1", "gadgets")
def created(spec, patch, body, **_):
    patch.status["phase"] = "Created"
    patch.status["size"] = spec["size"]
    kopf.info(body, reason="Seen", message=f"size {spec['size']}")


@kopf.on.field("clients.example.test", "v1", "gadgets", field="spec.size")
def resized(old, new, patch, **_):
    if old is not None:
        patch.status["phase"] = f"Resized from {old}"
        patch.status["size"] = new


@kopf.on.delete("clients.example.test", "v1", "gadgets")
def deleted(name, logger, **_):
    logger.info(f"{name} is let go")
