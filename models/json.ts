/** A value that JSON can hold. Everything that is stored or crosses the broker is one. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };
