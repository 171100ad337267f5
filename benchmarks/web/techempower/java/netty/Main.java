package techempower;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerKeepAliveHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import runfair.Options;
import runfair.Service;

/** The web tests on Netty: as many event loops as threads, on Linux's epoll. */
public final class Main {
    /** The kernel's own limit. */
    private static final int BACKLOG = 4096;
    private static final int MOST_BYTES = 65_536;
    private static final int STOP_LIMIT_S = 2;

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("techempower", "netty", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws InterruptedException, SocketException {
        int connections = (int) options.number("connections");
        var database = Database.ofEnvironment(connections);
        // JDBC blocks, which an event loop must not: a thread for each of the pool's connections.
        var blocking = Executors.newFixedThreadPool(connections);
        var loops = new MultiThreadIoEventLoopGroup(
                (int) options.number("threads"), EpollIoHandler.newFactory());
        var responses = new Responses(loops);
        var bound = new ServerBootstrap()
                .group(loops)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpServerKeepAliveHandler())
                                .addLast(new HttpObjectAggregator(MOST_BYTES))
                                .addLast(new Handler(database, blocking, responses));
                    }
                })
                .bind(address)
                .await();
        if (bound.cause() instanceof IOException refused) {
            throw new SocketException(refused.getMessage());
        }
        var listening = bound.sync().channel();
        return new Service.Running() {
            @Override
            public int port() {
                return ((InetSocketAddress) listening.localAddress()).getPort();
            }

            @Override
            public void stop() throws InterruptedException {
                listening.close().sync();
                blocking.shutdown();
                blocking.awaitTermination(STOP_LIMIT_S, TimeUnit.SECONDS);
                // The event loops first send what they have been given.
                loops.shutdownGracefully(0, STOP_LIMIT_S, TimeUnit.SECONDS).sync();
                database.ifPresent(Database::close);
            }
        };
    }
}
