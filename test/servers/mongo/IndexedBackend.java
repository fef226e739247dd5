import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.Document;
import org.h2.mvstore.MVStore;

/**
 * The library's storage with MongoDB's use of indexes. The library takes an index only where a query has the index's
 * keys and no others, so that a document asked for by its id and anything else is looked for among all of them. Here
 * an index is taken where the query has its keys among others; the library holds what it finds against the whole query.
 */
class IndexedBackend extends H2Backend {
  IndexedBackend(MVStore store) {
    super(store);
  }

  @Override
  protected MongoDatabase openOrCreateDatabase(String databaseName) {
    MVStore store = getMvStore();
    return new H2Database(databaseName, store, getCursorRegistry()) {
      @Override
      protected MongoCollection<Object> openOrCreateCollection(String collectionName, CollectionOptions options) {
        // The library's names for a collection's two maps.
        String name = getDatabaseName() + "." + collectionName;
        return new H2Collection(
            this, collectionName, options, store.openMap("databases." + name), store.openMap("meta." + name), getCursorRegistry()) {
          @Override
          protected QueryResult queryDocuments(Document query, Document orderBy, int skip, int limit, int batchSize, Document fields) {
            for (Index<Object> index : getIndexes()) {
              Document part = partFor(index, query);
              if (part != null && index.canHandle(part)) {
                return matchDocuments(query, index.getPositions(part), orderBy, skip, limit, batchSize, fields);
              }
            }
            return super.queryDocuments(query, orderBy, skip, limit, batchSize, fields);
          }
        };
      }
    };
  }

  /** What a query says of an index's keys, or null where it does not name all of them. */
  private static Document partFor(Index<Object> index, Document query) {
    Document part = new Document();
    for (IndexKey key : index.getKeys()) {
      if (!query.containsKey(key.getKey())) {
        return null;
      }
      part.put(key.getKey(), query.get(key.getKey()));
    }
    return part;
  }
}
