import java.util.ArrayList;
import java.util.List;

import org.apache.paimon.fs.Path;
import org.apache.paimon.operation.LocalOrphanFilesClean;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;

/** The orphan files that Paimon's procedure would remove: a dry run. */
final class Orphans {
    private Orphans() {}

    static Object of(Table table, Session.Question asked) throws Exception {
        long olderThan = Long.parseLong(asked.text("older_than"));
        List<String> found = new ArrayList<>();
        for (Path path : new LocalOrphanFilesClean((FileStoreTable) table, olderThan, true).clean().getDeletedFilesPath()) {
            found.add(path.toString());
        }
        return found;
    }
}
