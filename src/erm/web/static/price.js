// What an answer costs, said apart from whether it breaks a rule.

/** @param {number} value */
const amount = (value) => String(Number(value.toFixed(3)));

/**
 * The price of an answer in words; "" where answers have none.
 * @param {{ cost?: number | null, bound?: number | null, optimal?: boolean }} priced
 */
export function price({ cost, bound, optimal }) {
  if (cost === null || cost === undefined) return "";
  const said = `cost ${amount(cost)}`;
  if (optimal) return `${said}, optimal: no answer costs less`;
  if (bound === null || bound === undefined) return `${said}, perhaps not the least`;
  return `${said}, no answer costs less than ${amount(bound)}`;
}
