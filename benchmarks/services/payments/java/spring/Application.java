package payments;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** What Spring puts together; the rest of its settings stands in application.properties. */
@SpringBootApplication(proxyBeanMethods = false)
class Application {

    @Bean
    ObjectMapper json() {
        return Strictness.applied(JsonMapper.builder()).build();
    }
}
