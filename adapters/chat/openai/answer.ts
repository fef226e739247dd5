/** What a model thinks aloud before it answers, as some servers leave it in the text. */
const thoughts = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
}

/**
 * The text of a chat completion (https://platform.openai.com/docs/api-reference/chat/object), trimmed.
 * @param most UTF-16 code units that it may have
 * @throws Error that says what is wrong: no JSON, no text, one that was cut off, one that is too long.
 */
export function textOfAnswer(body: string, most: number): string {
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
  // A sentence that breaks off may say the opposite of what it would have said.
  if (fieldOf(choice, 'finish_reason') === 'length') throw new Error('answered too much: it was cut off');
  const text = content.replace(thoughts, '').toWellFormed().replaceAll('\0', '').trim();
  if (text === '') throw new Error('answered nothing');
  if (text.length > most) throw new Error(`answered more than ${most} characters`);
  return text;
}
