import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * HDFS of one name node and one data node on free ports of 127.0.0.1, which checks permissions;
 * prints where WebHDFS is, and ends with its input.
 */
public final class LoopbackCluster {
    public static void main(String[] arguments) throws Exception {
        Configuration settings = new Configuration();
        settings.set("dfs.permissions.superusergroup", "hdfs");
        settings.setBoolean("dfs.permissions.enabled", true);
        settings.set("dfs.replication", "1");
        settings.set("dfs.namenode.http-bind-host", "127.0.0.1");
        settings.set("dfs.datanode.hostname", "127.0.0.1");
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(settings, new File(arguments[0])).numDataNodes(1).build();
        cluster.waitActive();
        cluster.getFileSystem().setPermission(new Path("/"), new FsPermission((short) 0777));
        System.out.println("WebHDFS is at http://127.0.0.1:" + cluster.getNameNode().getHttpAddress().getPort()
            + " of hdfs://127.0.0.1:" + cluster.getNameNodePort());
        while (System.in.read() >= 0) { }
        cluster.shutdown();
        System.exit(0);
    }
}
