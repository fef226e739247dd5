/** One message of a conversation with a language model. */
export interface ChatMessage {
  /** `system` contains instructions; `user` contains their input. */
  role: 'system' | 'user';
  content: string;
}

/** A language model that answers a conversation. */
export interface Chat {
  /**
   * The model's answer as non-empty, trimmed text.
   * @throws ChatUnusable if there is no usable answer.
   */
  complete(messages: readonly ChatMessage[]): Promise<string>;
  /** Checks that the model is available, without a completion. @throws ChatUnusable */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The model returned no usable answer: it is unavailable or too slow, or the answer is empty, malformed or too long.
 */
export class ChatUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChatUnusable';
  }
}
