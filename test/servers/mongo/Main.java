import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreTool;

/**
 * A server that speaks MongoDB's protocol and keeps its data in one file. Arguments: host, port, data file.
 * Every write is on disk before its answer is sent, so that a killed server has lost nothing it acknowledged.
 */
public class Main {
  /** Commands after which the file is committed. */
  private static final Set<String> WRITES =
      Set.of(
          "insert", "update", "delete", "findandmodify", "createindexes", "dropindexes", "create", "drop",
          "dropdatabase", "renamecollection", "aggregate");

  /** The file grows by a chunk with each commit; above this size it is compacted at the start. */
  private static final long COMPACT_ABOVE_BYTES = 64L << 20;

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[2]).toAbsolutePath();
    Files.createDirectories(file.getParent());
    if (Files.exists(file) && Files.size(file) > COMPACT_ABOVE_BYTES) {
      MVStoreTool.compact(file.toString(), true);
    }
    MVStore store = new MVStore.Builder().fileName(file.toString()).cacheSize(64).open();
    store.setRetentionTime(5000);
    IndexedBackend backend =
        new IndexedBackend(store) {
          @Override
          public Document handleMessage(MongoMessage message) {
            Document answer = super.handleMessage(message);
            String command = message.getDocument().keySet().iterator().next();
            if (WRITES.contains(command.toLowerCase())) {
              commit();
            }
            return answer;
          }
        };
    backend.version(version());
    MongoServer server = new MongoServer(backend);
    server.bind(arguments[0], Integer.parseInt(arguments[1]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    Thread.currentThread().join();
  }

  /** Current drivers want wire version 9 or higher, and the library reports 8. */
  private static MongoVersion version() {
    return new MongoVersion() {
      @Override
      public List<Integer> getVersionArray() {
        return List.of(5, 0, 0);
      }

      @Override
      public int getWireVersion() {
        return 13;
      }
    };
  }
}
