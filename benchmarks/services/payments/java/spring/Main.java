package payments;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.support.GenericApplicationContext;
import runfair.Options;
import runfair.Service;

/** The service on Spring Boot: Tomcat, with a thread a request under way. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("payments", "spring", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws SocketException {
        var json = Strictness.applied(JsonMapper.builder()).build();
        var payments = Payments.read(options, json);
        var database = Database.ofEnvironment();
        int connections = (int) options.number("connections");
        var settings = new HashMap<String, Object>();
        settings.put("server.address", address.getAddress().getHostAddress());
        settings.put("server.port", address.getPort());
        database.ifPresentOrElse(
                found -> settings.putAll(pool(found, connections)),
                () -> settings.put(
                        "spring.autoconfigure.exclude",
                        DataSourceAutoConfiguration.class.getName()));
        var context = started(settings, payments);
        if (database.isPresent()) {
            connect(context, database.get());
        }
        return new Service.Running() {
            @Override
            public int port() {
                return context.getWebServer().getPort();
            }

            @Override
            public void stop() {
                context.close();
            }
        };
    }

    private static Map<String, Object> pool(Database database, int connections) {
        return Map.of(
                "spring.datasource.url", database.jdbcUrl(),
                "spring.datasource.username", database.user(),
                "spring.datasource.password", database.password(),
                "spring.datasource.hikari.maximum-pool-size", connections);
    }

    private static ServletWebServerApplicationContext started(
            Map<String, Object> settings, Payments payments) throws SocketException {
        var application = new SpringApplicationBuilder(Application.class)
                .registerShutdownHook(false) // the harness has one
                .properties(settings)
                .initializers((GenericApplicationContext context) ->
                        context.registerBean(Payments.class, () -> payments));
        try {
            return (ServletWebServerApplicationContext) application.run();
        } catch (ApplicationContextException | WebServerException failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof SocketException refused) {
                    throw refused;
                }
            }
            throw failure;
        }
    }

    /** Opens the pool's first connection. */
    private static void connect(ServletWebServerApplicationContext context, Database database) {
        try {
            context.getBean(DataSource.class).getConnection().close();
        } catch (SQLException failure) {
            throw database.cannotBeReached(failure);
        }
    }
}
