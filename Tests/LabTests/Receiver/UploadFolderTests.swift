// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct UploadFolderTests {
    @Test(arguments: [
        ("000001.cwa", "000001.cwa"), ("../../etc/passwd", "_.._etc_passwd"), ("", "unnamed"), ("..", "unnamed"),
        (".hidden", "hidden"), ("a b\n\u{0}ä.txt", "a_b___.txt"), (String(repeating: "x", count: 300) + ".flac", nil),
    ]) func namesLoseWhatAPathCouldTakeForMore(name: String, expected: String?) {
        let safe = UploadFolder.safe(name)
        #expect(safe.utf8.count <= 100)
        #expect(!safe.contains("/"))
        if let expected { #expect(safe == expected) }
    }

    @Test(arguments: [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (90_000, "90.0 kB"), (3_000_000, "3.0 MB")])
    func sizesAreShortAndTrue(bytes: Int64, expected: String) {
        #expect(RecordingTable.size(bytes) == expected)
    }
}
