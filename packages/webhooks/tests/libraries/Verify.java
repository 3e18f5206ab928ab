// Prints for each library and case whether the library accepts it.
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class Verify {
    interface Check { void run(String secret, String body, HttpHeaders headers) throws Exception; }

    public static void main(String[] args) throws Exception {
        Map<String, Check> libraries = Map.of(
            "standardwebhooks", (secret, body, headers) -> new com.standardwebhooks.Webhook(secret).verify(body, headers),
            "svix", (secret, body, headers) -> new com.svix.Webhook(secret).verify(body, headers));
        Map<String, List<Boolean>> accepted = new TreeMap<>();
        ObjectMapper json = new ObjectMapper();
        for (JsonNode one : json.readTree(new File(args[0]))) {
            Map<String, List<String>> headers = new TreeMap<>();
            one.get("headers").fields().forEachRemaining(e -> headers.put(e.getKey(), List.of(e.getValue().asText())));
            for (Map.Entry<String, Check> library : libraries.entrySet()) {
                boolean isAccepted = true;
                try {
                    HttpHeaders sent = HttpHeaders.of(headers, (name, value) -> true);
                    library.getValue().run(one.get("secret").asText(), one.get("body").asText(), sent);
                } catch (Exception e) {
                    isAccepted = false;
                }
                accepted.computeIfAbsent(library.getKey(), name -> new ArrayList<>()).add(isAccepted);
            }
        }
        System.out.println(json.writeValueAsString(accepted));
    }
}
