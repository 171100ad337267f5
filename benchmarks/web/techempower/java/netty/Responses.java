package techempower;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.concurrent.TimeUnit;

/** Responses with their headers. The header Date is made once a second. */
final class Responses {
    private final JsonMapper json = new JsonMapper();
    private volatile AsciiString date = now();

    Responses(EventExecutorGroup loops) {
        loops.scheduleAtFixedRate(() -> date = now(), 1, 1, TimeUnit.SECONDS);
    }

    FullHttpResponse json(Object value) throws JsonProcessingException {
        return of(HttpResponseStatus.OK, "application/json", json.writeValueAsBytes(value));
    }

    FullHttpResponse of(HttpResponseStatus status, String type, String text) {
        return of(status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private FullHttpResponse of(HttpResponseStatus status, String type, byte[] body) {
        var response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.SERVER, "netty")
                .set(HttpHeaderNames.DATE, date)
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        return response;
    }

    private static AsciiString now() {
        return new AsciiString(DateFormatter.format(new Date()));
    }
}
