/** One message of a conversation with a language model. */
export interface ChatMessage {
  /** `system` gives orders; `user` is what they are carried out on. */
  role: 'system' | 'user';
  content: string;
}

/** A language model that answers a conversation. */
export interface Chat {
  /**
   * The model's answer as text, trimmed and not empty.
   * @throws ChatUnusable where there is none that can be used, whatever the reason.
   */
  complete(messages: readonly ChatMessage[]): Promise<string>;
  /** Whether it would be heard; it writes nothing for that. @throws ChatUnusable */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The model gave no answer that can be used: it is away, too slow, or answered nothing, nonsense or too much. */
export class ChatUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChatUnusable';
  }
}
