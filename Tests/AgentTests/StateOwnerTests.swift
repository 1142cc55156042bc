// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct StateOwnerTests {
    private static let nobody: uid_t = 65534

    private func owner(_ path: String) -> uid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    @Test func whatRootWroteBelongsToTheFoldersOwnerAndWhatIsSomebodyElsesStays() async throws {
        guard geteuid() == 0 else { return print("SKIPPED: only root can give files away") }
        try await AgentFixture.inFolder { folder in
            let state = folder + "/state"
            mkdir(state, 0o750)
            mkdir(state + "/media", 0o750)
            chown(state, Self.nobody, Self.nobody)
            for name in ["studyd.sqlite", "media/a.flac", "theirs"] {
                try AtomicFile.write([1], to: "\(state)/\(name)")
            }
            chown(state + "/theirs", 12345, 12345)
            // A name that leads out of the folder, in either way, must give nothing away.
            try AtomicFile.write([1], to: folder + "/outside")
            symlink(folder + "/outside", state + "/link")
            link(folder + "/outside", state + "/name")

            let owner = try #require(StateOwner(of: state))
            owner.restore()
            #expect(owner.user == Self.nobody)
            for name in ["studyd.sqlite", "media", "media/a.flac"] {
                #expect(self.owner("\(state)/\(name)") == Self.nobody, "\(name)")
            }
            #expect(self.owner(state + "/theirs") == 12345 && self.owner(folder + "/outside") == 0)
            for name in ["studyd.sqlite", "media/a.flac", "theirs", "link", "name"] { unlink("\(state)/\(name)") }
            rmdir(state + "/media")
            rmdir(state)
        }
    }

    @Test func aFolderThatIsNotThereYetIsForTheServicesUser() {
        guard geteuid() == 0 else { return print("SKIPPED: only root can give files away") }
        #expect(StateOwner(of: "/nowhere/state", service: "nobody")?.user == Self.nobody)
        #expect(StateOwner(of: "/nowhere/state", service: "no such user") == nil)
        #expect(StateOwner(of: "/", service: "nobody") == nil)
    }
}
