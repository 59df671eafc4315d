// A message in which every field has a value, by the rule that test/python/filled.py has too.
import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";

export function filled<D extends DescMessage>(descriptor: D): MessageShape<D> {
  const fields: Record<string, unknown> = {};
  for (const field of descriptor.fields) fields[field.localName] = valueFor(field);
  return create(descriptor, fields as never); // the descriptor says what fits
}

function valueFor(field: DescField): unknown {
  if (field.fieldKind === "map") return { "": field.name, kéy: "välue" };
  if (field.fieldKind === "list") return [0, 1].map((index) => single(field, index));
  return single(field, 0);
}

function single(field: DescField, index: number): unknown {
  if (field.message !== undefined) return filled(field.message);
  if (field.enum !== undefined) return Math.max(...field.enum.values.map(({ number }) => number));
  const number = field.number + index;
  switch (field.scalar) {
    case ScalarType.STRING:
      return `${field.name} ${number} ü☃😀`;
    case ScalarType.BYTES:
      return Uint8Array.of(0, 255, number % 256, 128);
    case ScalarType.BOOL:
      return true;
    case ScalarType.INT32:
      return Number(edge(31n, number));
    case ScalarType.INT64:
      return edge(63n, number);
    default:
      throw new Error(`${field} has a type that the contract had not; say in both languages how it is filled`);
  }
}

const edge = (size: bigint, number: number): bigint =>
  number % 2 === 1 ? BigInt(number) - 2n ** size : 2n ** size - 1n - BigInt(number);
