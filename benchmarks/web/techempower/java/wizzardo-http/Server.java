package techempower;

import com.wizzardo.epoll.IOThread;
import com.wizzardo.http.HttpConnection;
import com.wizzardo.http.HttpServer;
import java.util.concurrent.CountDownLatch;

/** A server of which one can await that it has said all that it says of itself. */
@SuppressWarnings("rawtypes")
final class Server extends HttpServer<HttpConnection> {
    private final CountDownLatch threads = new CountDownLatch(1);

    Server(String host, int port) {
        super(host, port);
    }

    void awaitThreads() throws InterruptedException {
        threads.await();
    }

    @Override
    protected IOThread<? extends HttpConnection> createIOThread(int number, int divider) {
        threads.countDown();
        return super.createIOThread(number, divider);
    }
}
