/** A model's reasoning before its answer, which some servers leave in the text. */
const thoughts = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/**
 * The text of a chat completion (https://platform.openai.com/docs/api-reference/chat/object), trimmed.
 * @param max maximum UTF-16 code units
 * @throws Error with the reason: no JSON, no text, a truncated text, a text that is too long.
 */
export function textOfAnswer(body: string, max: number): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    throw new Error('answered no JSON', { cause: error });
  }
  const choices = fieldOf(parsed, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const content = fieldOf(fieldOf(choice, 'message'), 'content');
  if (typeof content !== 'string') throw new Error('answered no text');
  // A truncated sentence may have the opposite meaning.
  if (fieldOf(choice, 'finish_reason') === 'length') throw new Error('answered too much: it was cut off');
  const text = content.replace(thoughts, '').toWellFormed().replaceAll('\0', '').trim();
  if (text === '') throw new Error('answered nothing');
  if (text.length > max) throw new Error(`answered more than ${max} characters`);
  return text;
}
