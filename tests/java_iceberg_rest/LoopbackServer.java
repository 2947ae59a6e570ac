package org.apache.iceberg.rest;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.eclipse.jetty.compression.gzip.GzipCompression;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Serves the REST catalog of Iceberg's test fixtures on the loopback address. The fixtures' own main class listens on all
 * addresses; what it is made of is visible in this package alone.
 *
 * <p>Arguments are a port, 0 for a free one, and {@code name=value} properties of the catalog. Prints the port, and ends
 * with its input.
 */
public final class LoopbackServer {
  private LoopbackServer() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, String> properties =
        Arrays.stream(arguments)
            .skip(1)
            .map(property -> property.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    var catalog = CatalogUtil.buildIcebergCatalog("fixture", properties, new Configuration());
    var adapter = new RESTServerCatalogAdapter(new RESTCatalogServer.CatalogContext(catalog, properties));
    var servlets = new ServletContextHandler();
    servlets.addServlet(new RESTCatalogServlet(adapter), "/*");
    var compression = new CompressionHandler(servlets);
    compression.putCompression(new GzipCompression());
    var server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
    server.setHandler(compression);
    server.start();
    System.out.println(((ServerConnector) server.getConnectors()[0]).getLocalPort());
    while (System.in.read() >= 0) {}
    server.stop();
  }
}
