// SPDX-License-Identifier: Apache-2.0
import Recording

/// Writes whole files: whoever looks sees the old content or the new, never a part.
public enum AtomicFile {
    /// Writes a file of our own folders beside `path` and renames, durably; blocks on the disk.
    public static func write(_ bytes: [UInt8], to path: String) throws {
        try finish(TargetFile(path, temporary: path + ".new"), bytes)
    }

    /// Writes a file that somebody named; a device, a pipe or a link is written to and never replaced.
    public static func write(_ bytes: [UInt8], toNamed path: String) throws { try finish(TargetFile(path), bytes) }

    private static func finish(_ target: TargetFile, _ bytes: [UInt8]) throws {
        try target.write(bytes)
        try target.finish()
    }
}
