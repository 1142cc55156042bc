// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Base
@testable import SystemKit

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

    /// A name is as long as 64 bytes: one that is longer is no name, one that is not is looked for.
    @Test(arguments: [(64, true), (65, false)]) func aNameHasALongestLength(length: Int, isName: Bool) {
        let name = String(repeating: "a", count: length)
        let path = "/usr/share/zoneinfo/" + name
        #expect(throws: isName ? ZoneError.unreadable(path: path, code: ENOENT) : .badIdentifier(name)) {
            try Zone.load(name)
        }
    }

    /// One byte more than the largest file that is read.
    @Test(arguments: [(262_144, false), (262_145, true)]) func aFileHasALargestSize(size: Int, isTooLarge: Bool) throws
    {
        try inFolder { folder in
            let path = folder + "/localtime"
            let file = open(path, O_WRONLY | O_CREAT, 0o600)
            #expect(ftruncate(file, off_t(size)) == 0)
            close(file)
            let error = #expect(throws: ZoneError.self) { try Zone.load("localtime", from: folder) }
            #expect((error == .unreadable(path: path, code: EFBIG)) == isTooLarge, "\(String(describing: error))")
        }
    }

    @Test(.timeLimit(.minutes(10))) func aFolderIsNoZone() throws {
        try inFolder { folder in
            let path = folder + "/Europe"
            try #require(mkdir(path, 0o700) == 0)
            defer { rmdir(path) }
            #expect(throws: ZoneError.unreadable(path: path, code: EISDIR)) { try Zone.load("Europe", from: folder) }
        }
    }

    @Test func endlessFileIsRefused() {
        #expect(throws: ZoneError.unreadable(path: "/dev/zero", code: EFBIG)) { try Zone.load("zero", from: "/dev") }
    }

    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin"), (":America/New_York", "America/New_York"),
        ("/usr/share/zoneinfo/posix/Asia/Kolkata", "Asia/Kolkata"), ("CET-1CEST,M3.5.0,M10.5.0/3", nil),
        // tz's Makefile: `right/` counts leap seconds, which are 27 by now; `posix/` is the
        // same as neither.
        ("/usr/share/zoneinfo/right/Asia/Kolkata", "Asia/Kolkata"), ("right/Europe/Berlin", "Europe/Berlin"),
        ("posix/Europe/Berlin", "Europe/Berlin"), ("left/Europe/Berlin", "left/Europe/Berlin"),
        ("right", nil), ("right/", nil), ("Europe/right", "Europe/right"),
    ])
    func variableNamesTheZone(variable: String, expected: String?) {
        #expect(Zone.systemIdentifier(variable: variable) == expected)
    }

    @Test func withoutVariableTheLinkAndThenTheFileAreAsked() throws {
        try inFolder { folder in
            #expect(Zone.systemIdentifier(variable: nil, configuration: folder) == nil)
            let file = open(folder + "/timezone", O_WRONLY | O_CREAT, 0o600)
            #expect(write(file, "Asia/Tokyo \n", 12) == 12)
            close(file)
            // tzset(3): a file's name after a colon; many services are given this one.
            for variable in ["", ":", ":/etc/localtime", "/etc/localtime"] {
                #expect(Zone.systemIdentifier(variable: variable, configuration: folder) == "Asia/Tokyo")
            }
            for (target, name) in [
                ("/usr/share/zoneinfo/Europe/Paris", "Europe/Paris"),
                ("../usr/share/zoneinfo/right/Europe/Paris", "Europe/Paris"),
                ("/somewhere/Europe/Paris", "Asia/Tokyo"),
            ] {
                unlink(folder + "/localtime")
                #expect(symlink(target, folder + "/localtime") == 0)
                #expect(Zone.systemIdentifier(variable: nil, configuration: folder) == name)
            }
        }
    }

    /// The zone is the first word, of 4096 bytes at most.
    @Test(
        arguments: [
            ("Asia/Tokyo", "Asia/Tokyo"), ("Asia/Tokyo \n", "Asia/Tokyo"), ("Asia/Tokyo # by hand\n", "Asia/Tokyo"),
            ("Asia/Tokyo\tx", "Asia/Tokyo"), ("Asia/Tokyo!", nil), ("", nil), ("\nAsia/Tokyo\n", nil),
            ("UTC" + String(repeating: "\n", count: 4093), "UTC"), ("UTC" + String(repeating: "\n", count: 4094), nil),
        ] as [(String, String?)])
    func theFileBeginsWithTheZone(text: String, expected: String?) throws {
        try inFolder { folder in
            try AtomicFile.write(Array(text.utf8), to: folder + "/timezone")
            #expect(Zone.systemIdentifier(variable: nil, configuration: folder) == expected)
        }
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/zones-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer {
            unlink(folder + "/localtime")
            unlink(folder + "/timezone")
            rmdir(folder)
        }
        try body(folder)
    }
}
