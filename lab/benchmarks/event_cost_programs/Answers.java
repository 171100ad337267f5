import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Parses, hashes, keeps and answers as a small server does, as often as its argument says. */
public final class Answers {
    private record Kept(String key, Map<String, String> request, List<int[]> parts) {}

    public static void main(String[] arguments) throws NoSuchAlgorithmException {
        int count = Integer.parseInt(arguments[0]);
        Kept[] records = new Kept[1000];
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        long sent = 0;
        for (int i = 0; i < count; i++) {
            String body = "amount=" + i % 997 + "&card=4000-" + i % 8999 + "&items=" + i;
            Map<String, String> request = new HashMap<>();
            for (String field : body.split("&")) {
                String[] parts = field.split("=");
                request.put(parts[0], parts[1]);
            }
            byte[] card = request.get("card").getBytes(StandardCharsets.UTF_8);
            String key = HexFormat.of().formatHex(digest.digest(card));
            List<int[]> parts = new ArrayList<>();
            for (int part = 0; part < 20; part++) {
                parts.add(new int[] {part});
            }
            records[i % records.length] = new Kept(key, request, parts);
            sent += ("{\"key\":\"" + key + "\",\"amount\":" + request.get("amount") + "}").length();
        }
        System.out.println("{\"sent\":" + sent + "}");
    }
}
