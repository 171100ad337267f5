package payments;

import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/** What is answered when a request cannot be. */
@RestControllerAdvice
class Failures {

    @ExceptionHandler({BadRequest.class, HttpMessageNotReadableException.class})
    ResponseEntity<Failure> malformed() {
        return ResponseEntity.badRequest().body(new Failure("malformed request"));
    }

    @ExceptionHandler(Orders.NoDatabase.class)
    ResponseEntity<Failure> noDatabase() {
        return ResponseEntity.status(503).body(new Failure("no database"));
    }

    @ExceptionHandler(NoResourceFoundException.class)
    ResponseEntity<Failure> noSuchPath() {
        return ResponseEntity.status(404).body(new Failure("no such path"));
    }

    @ExceptionHandler(HttpRequestMethodNotSupportedException.class)
    ResponseEntity<Failure> noSuchMethod() {
        return ResponseEntity.status(405).body(new Failure("no such method"));
    }
}
