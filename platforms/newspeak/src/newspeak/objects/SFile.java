package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;
import java.io.RandomAccessFile;

/** An open file, as the streams of the library hold it. */
public record SFile(RandomAccessFile file) implements TruffleObject {}
