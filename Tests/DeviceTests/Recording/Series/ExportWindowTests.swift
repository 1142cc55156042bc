// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

@Suite struct ExportWindowTests {
    @Test(arguments: [
        ("2026-11-21T09:00:30Z", "2026-11-21T09:00:40Z"), ("2026-11-21T10:00:30+01:00", "2026-11-21T10:00:40+01:00"),
        ("2026-11-21T10:00:30", "2026-11-21T10:00:40"), ("2026-11-21 10:00:30", "2026-11-21 10:00:40.0"),
    ])
    func aMomentWithoutOffsetIsTheWallClockOfTheFile(from: String, until: String) throws {
        let window = try ExportWindow(from: from, until: until)
        let start = Example.anchor.instant
        let inside = [29.9, 30, 39.9, 40].map { window.contains(start + .milliseconds(Int64($0 * 1000)), offset: 3600) }
        #expect(inside == [false, true, true, false])
        #expect(!window.contains(nil) && ExportWindow.all.contains(nil))
    }

    @Test func theMinuteIsEnoughAndNonsenseIsRefused() throws {
        #expect(
            try ExportWindow(from: "2026-11-21T10:00", until: nil)
                == ExportWindow(from: "2026-11-21T10:00:00", until: nil))
        #expect(
            try ExportWindow(from: "2026-11-21T10:00Z", until: nil)
                == ExportWindow(from: "2026-11-21T10:00:00Z", until: nil))
        for text in ["yesterday", "10:00", "2026-11-21", "2026-13-21T10:00:00Z", ""] {
            #expect(throws: FileError.self) { try ExportWindow(from: text, until: nil) }
        }
        #expect(throws: FileError.self) { try ExportWindow(from: "2026-11-21T10:00", until: "2026-11-21T10:00") }
    }
}
