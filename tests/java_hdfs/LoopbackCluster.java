import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** HDFS of one name node and one data node on free ports of 127.0.0.1; prints where WebHDFS is, and ends with its input. */
public final class LoopbackCluster {
    public static void main(String[] arguments) throws Exception {
        Configuration settings = new Configuration();
        settings.set("dfs.permissions.superusergroup", "hdfs");
        settings.setBoolean("dfs.permissions.enabled", false);
        settings.set("dfs.replication", "1");
        settings.set("dfs.namenode.http-bind-host", "127.0.0.1");
        settings.set("dfs.datanode.hostname", "127.0.0.1");
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(settings, new File(arguments[0])).numDataNodes(1).build();
        cluster.waitActive();
        System.out.println("WebHDFS is at http://127.0.0.1:" + cluster.getNameNode().getHttpAddress().getPort()
            + " of hdfs://127.0.0.1:" + cluster.getNameNodePort());
        while (System.in.read() >= 0) { }
        cluster.shutdown();
        System.exit(0);
    }
}
