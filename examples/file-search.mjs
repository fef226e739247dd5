// The shape of a search in a vector store of OpenAI, made of a search: docs/mcp.md lists what becomes what.
//   node file-search.mjs <question>
import { Ply } from '@ply/client';

const { PLY_URL: url, PLY_KEY: key, PLY_ORGANIZATION: organizationId } = process.env;
const ply = new Ply({ url, key, organizationId });

/** Answers the function tool `file_search` for a reader with these principals. */
export async function fileSearch({ query, max_num_results: limit = 10, score_threshold = 0 }, principals = []) {
  const { items, hasMore } = await ply.call('search', { body: { query, limit, principals } });
  return {
    object: 'vector_store.search_results.page',
    search_query: [query],
    data: items
      .filter(({ relevance }) => relevance >= score_threshold)
      .map(({ assetId, filename, relevance, metadata, snippet }) => ({
        file_id: assetId,
        filename,
        score: relevance,
        attributes: metadata,
        content: [{ type: 'text', text: snippet }],
      })),
    has_more: hasMore,
    next_page: null,
  };
}

console.log(JSON.stringify(await fileSearch({ query: process.argv.slice(2).join(' ') }), null, 2));
