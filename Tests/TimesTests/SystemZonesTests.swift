// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Times

@Suite struct SystemZonesTests {
    @Test(arguments: [
        "", "/etc/passwd", "..", "../../etc/passwd", "Europe/../x", "Europe//Berlin", "Europe/Ber lin", "Europe/",
    ])
    func namesThatLeaveTheFolderAreRefused(name: String) {
        #expect(throws: ZoneError.badIdentifier(name)) { try Zone.load(name) }
    }

    @Test func missingZoneNamesItsFile() {
        #expect(throws: ZoneError.unreadable(path: "/usr/share/zoneinfo/Europe/Atlantis", code: ENOENT)) {
            try Zone.load("Europe/Atlantis")
        }
    }

    @Test func endlessFileIsRefused() {
        #expect(throws: ZoneError.unreadable(path: "/dev/zero", code: EFBIG)) { try Zone.load("zero", from: "/dev") }
    }

    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin"), (":America/New_York", "America/New_York"),
        ("/usr/share/zoneinfo/posix/Asia/Kolkata", "Asia/Kolkata"), ("CET-1CEST,M3.5.0,M10.5.0/3", nil),
    ])
    func variableNamesTheZone(variable: String, expected: String?) {
        #expect(Zone.systemIdentifier(variable: variable) == expected)
    }

    @Test func withoutVariableTheLinkAndThenTheFileAreAsked() throws {
        var template = Array("/tmp/zones-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer {
            unlink(folder + "/localtime")
            unlink(folder + "/timezone")
            rmdir(folder)
        }
        #expect(Zone.systemIdentifier(variable: nil, configuration: folder) == nil)
        let file = open(folder + "/timezone", O_WRONLY | O_CREAT, 0o600)
        #expect(write(file, "Asia/Tokyo\n", 11) == 11)
        close(file)
        #expect(Zone.systemIdentifier(variable: "", configuration: folder) == "Asia/Tokyo")
        #expect(symlink("/usr/share/zoneinfo/Europe/Paris", folder + "/localtime") == 0)
        #expect(Zone.systemIdentifier(variable: nil, configuration: folder) == "Europe/Paris")
    }
}
