// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Testing

@testable import SystemKit

@Suite struct BuildIDTests {
    private static let name = "0123456789abcdef0123456789abcdef01234567"
    private static let mark = "73747564"

    /// readelf(1) of binutils reads the same image from its file.
    @Test func itIsWhatReadelfSays() {
        let said = Self.shell("LC_ALL=C readelf -n /proc/\(getpid())/exe").1
        guard let place = said.firstRange(of: "Build ID: ") else {
            if said.contains("not found") { return print("SKIPPED: no readelf") }
            #expect(BuildID.own == nil)
            return
        }
        let read = String(said[place.upperBound...].prefix { !$0.isWhitespace })
        #expect(BuildID.own?.bytes.hexadecimal == read)
    }

    /// What ld(1) was given with `--build-id=0x…`.
    @Test(arguments: [name + mark, "0a", "00112233445566", ""]) func itIsWhatTheLinkerWasGiven(_ given: String) throws {
        let sources = #filePath.components(upTo: "/Tests/") + "/Sources/CLinux"
        let (status, said) = Self.shell(
            """
            folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT && cd "$folder" && cat >main.c <<'END'
            #include <stdio.h>
            #include "CLinux.h"
            int main(void) {
                const uint8_t *bytes;
                size_t count = clinux_build_id(&bytes);
                for (size_t i = 0; i < count; i++) printf("%02x", bytes[i]);
            }
            END
            gcc -I'\(sources)/include' main.c '\(sources)/CLinux.c' -Wl,--build-id=\(given.isEmpty ? "none" : "0x" + given) -lutil -o it && ./it
            """)
        guard status != 0x7F00 else { return print("SKIPPED: no gcc: \(said)") }
        #expect(status == 0 && said == given, "\(said)")
    }

    @Test(
        arguments: [
            (name + mark, name), (String(repeating: "ab", count: 32) + mark, String(repeating: "ab", count: 32)),
            // A linker's own digest, of 8 and 20 bytes; the mark alone; a name that git does not give.
            ("0011223344556677", nil), (name, nil), (mark, nil), ("", nil), ("0123" + mark, nil),
            (name + "00" + mark, nil), (name + "73747565", nil),
        ] as [(String, String?)])
    func aCommitIsTakenFromItWithItsMarkAlone(text: String, commit: String?) {
        let bytes = stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
        #expect(BuildID(bytes).commit == commit)
    }

    @Test(arguments: [(name as String?, "0.9.0 (commit 0123456789ab)"), (nil, "0.9.0 (commit unknown)")])
    func aVersionNamesItsCommit(commit: String?, text: String) {
        #expect(ProgramVersion.line(commit: commit) == text)
    }

    private static func shell(_ command: String) -> (CInt, String) {
        guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { return (-1, "no shell") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer.prefix(count) }
        return (pclose(pipe), String(decoding: output, as: UTF8.self))
    }
}

extension String {
    fileprivate func components(upTo mark: String) -> String {
        firstRange(of: mark).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
