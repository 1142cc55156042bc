// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Device

/// The counter's file and names may contain anything; 2⁶³ − 1 is the last number of a Swift `Int`
/// and of an SQLite INTEGER.
@Suite struct RecordingNumbersTests {
    private func folder(_ body: (DiskFolder) throws -> Void) throws {
        let path = "/tmp/studyd-numbers-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let folder = try DiskFolder(creating: path)
        defer {
            for name in (try? folder.names()) ?? [] { if unlink(folder.file(name)) != 0 { rmdir(folder.file(name)) } }
            rmdir(path)
        }
        try body(folder)
    }

    @Test(arguments: [
        ("9223372036854775807\n", 1), ("9223372036854775806", 1), ("99999999999999999999999", 1), ("-5", 1), ("", 1),
        ("٤٢", 1), ("\0\0\0", 1), ("281474976710656", 1), ("281474976710000", 281_474_976_710_000), ("17\nrest", 17),
        (String(repeating: "1", count: 100), 1),
    ]) func whateverStandsInTheCounterItGoesOn(_ text: String, next: Int) throws {
        try folder { folder in
            try folder.replace("next-number", with: Array(text.utf8))
            #expect(try RecordingNumbers(folder).handOut() == next)
            #expect(try RecordingNumbers(folder, known: 90).handOut() == max(next + 1, 91))
        }
    }

    @Test func anImpossibleNumberInANameIsNotCountedOnFrom() throws {
        try folder { folder in
            for name in [
                "9223372036854775807-accelerometer.cwa", "9223372036854775806-sound.json", "000012-accelerometer.cwa",
                "99999999999999999999-sound.flac",
            ] { try folder.replace(name, with: []) }
            #expect(try RecordingNumbers(folder).handOut() == 13)
            #expect(RecordingName("9223372036854775807-accelerometer.cwa") == nil)
        }
    }

    /// The counter is lost or cannot be read; the files are gone, and only the log knows them.
    @Test func aLostCounterIsRestoredFromTheFilesAndTheLog() throws {
        try folder { folder in
            for _ in 0..<4 { _ = try RecordingNumbers(folder).handOut() }
            unlink(folder.file("next-number"))
            #expect(try RecordingNumbers(folder, known: 4).handOut() == 5)
            unlink(folder.file("next-number"))
            try folder.replace("000077-sound.flac", with: [])
            #expect(try RecordingNumbers(folder, known: 4).handOut() == 78)
            #expect(try RecordingNumbers(folder, known: .max).handOut() == 79)
            // A folder of that name: it can neither be read nor replaced, and that is named when a
            // number is wanted.
            unlink(folder.file("next-number"))
            mkdir(folder.file("next-number"), 0o700)
            #expect(throws: FileError.self) { try RecordingNumbers(folder).handOut() }
        }
    }
}
