package techempower;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** From the requests of a connection to their answers. */
final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final String GREETING = "Hello, World!";

    private final Optional<Database> database;
    private final Executor blocking;
    private final Responses responses;
    /** Done when all requests so far are answered. */
    private CompletableFuture<Void> answered = CompletableFuture.completedFuture(null);

    Handler(Optional<Database> database, Executor blocking, Responses responses) {
        this.database = database;
        this.blocking = blocking;
        this.responses = responses;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request)
            throws JsonProcessingException {
        var uri = new QueryStringDecoder(request.uri());
        switch (uri.path()) {
            case "/plaintext" ->
                answer(context, responses.of(HttpResponseStatus.OK, "text/plain", GREETING));
            case "/json" -> answer(context, responses.json(Map.of("message", GREETING)));
            case "/db" -> answerLater(context, () -> responses.json(tables().random()));
            case "/queries" -> answerLater(
                    context, () -> responses.json(tables().rows(count(uri))));
            case "/updates" -> answerLater(
                    context, () -> responses.json(tables().update(count(uri))));
            case "/fortunes" -> answerLater(context, () -> responses.of(
                    HttpResponseStatus.OK,
                    "text/html; charset=utf-8",
                    Fortunes.render(tables().fortunes())));
            default -> answer(context, responses.of(
                    HttpResponseStatus.NOT_FOUND, "text/plain", "no such path"));
        }
    }

    /** Pipelined requests are answered together. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        if (!(failure instanceof IOException)) { // a client that has gone is no failure
            failure.printStackTrace();
        }
        context.close();
    }

    /** Sends an answer behind those of the requests before it. */
    private void answer(ChannelHandlerContext context, FullHttpResponse response) {
        if (answered.isDone()) {
            context.write(response);
        } else {
            answered = answered.thenRunAsync(
                    () -> context.writeAndFlush(response), context.executor());
        }
    }

    /** Away from the event loop, once the requests before it are answered. */
    private void answerLater(ChannelHandlerContext context, Callable<FullHttpResponse> work) {
        answered = answered
                .thenApplyAsync(before -> done(work), blocking)
                .thenAcceptAsync(context::writeAndFlush, context.executor());
    }

    private FullHttpResponse done(Callable<FullHttpResponse> work) {
        try {
            return work.call();
        } catch (Exception failure) {
            failure.printStackTrace();
            return responses.of(
                    HttpResponseStatus.INTERNAL_SERVER_ERROR, "text/plain", "internal error");
        }
    }

    private Database tables() {
        return database.orElseThrow();
    }

    /** What the request means as a number of queries. */
    private static int count(QueryStringDecoder uri) {
        var counts = uri.parameters().get("queries");
        return Queries.count(counts == null ? null : counts.get(0));
    }
}
