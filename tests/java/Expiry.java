import java.time.Duration;

import org.apache.paimon.CoreOptions;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

/** Expires snapshots, as the procedure does; without arguments as a commit does, by the table's own options. */
final class Expiry {
    private Expiry() {}

    static Object of(Table table, Session.Question asked) {
        CoreOptions options = ((FileStoreTable) table).coreOptions();
        String olderThan = asked.text("older_than");
        String retainMin = asked.text("retain_min");
        String retainMax = asked.text("retain_max");
        String maxDeletes = asked.text("max_deletes");
        if (olderThan == null && retainMin == null && retainMax == null && maxDeletes == null) {
            return table.newExpireSnapshots().config(options.expireConfig()).expire();
        }
        ExpireConfig.Builder config = ExpireConfig.builder()
                .snapshotRetainMin(retainMin == null ? options.snapshotNumRetainMin() : Integer.parseInt(retainMin))
                .snapshotRetainMax(retainMax == null ? options.snapshotNumRetainMax() : Integer.parseInt(retainMax))
                .snapshotMaxDeletes(maxDeletes == null ? options.snapshotExpireLimit() : Integer.parseInt(maxDeletes))
                .snapshotTimeRetain(olderThan == null
                        ? options.snapshotTimeRetain()
                        : Duration.ofMillis(System.currentTimeMillis() - Long.parseLong(olderThan)));
        return table.newExpireSnapshots().config(config.build()).expire();
    }
}
