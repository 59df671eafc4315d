"""A message in which every field has a value, by the rule that filled.ts has too."""

from google.protobuf.descriptor import FieldDescriptor as F


def filled(message_class):
    message = message_class()
    fill(message)
    return message


def fill(message):
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            getattr(message, field.name).update({"": field.name, "k\u00e9y": "v\u00e4lue"})
        elif field.is_repeated:
            for index in range(2):
                if field.message_type is not None:
                    fill(getattr(message, field.name).add())
                else:
                    getattr(message, field.name).append(scalar(field, index))
        elif field.message_type is not None:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name))
        else:
            setattr(message, field.name, scalar(field, 0))


def scalar(field, index):
    number = field.number + index
    if field.type == F.TYPE_STRING:
        return f"{field.name} {number} \u00fc\u2603\U0001f600"
    if field.type == F.TYPE_BYTES:
        return bytes([0, 255, number % 256, 128])
    if field.type == F.TYPE_BOOL:
        return True
    if field.type == F.TYPE_ENUM:
        return max(value.number for value in field.enum_type.values)
    size = {F.TYPE_INT32: 31, F.TYPE_INT64: 63}[field.type]
    return number - 2**size if number % 2 else 2**size - 1 - number
