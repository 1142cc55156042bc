// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct SecretWipeTests {
    /// Another name of the same file shows what became of its bytes.
    @Test(arguments: [0, 1, 511, 4_096, 100_000]) func nothingOfTheFileIsLeftUnderAnyName(_ size: Int) throws {
        let tree = try SysfsTree()
        tree["folder/secret"] = String(repeating: "s", count: size)
        let path = tree.path + "/folder/secret"
        #expect(link(path, tree.path + "/witness") == 0)
        try SecretWipe.wipe(tree.path + "/folder")
        #expect(access(tree.path + "/folder", F_OK) != 0)
        let left = try BoundedFile.read(tree.path + "/witness")
        #expect(left.count >= size && left.allSatisfy { $0 == 0 })
        try SecretWipe.wipe(path)
    }

    /// What cannot be looked at is not known to be gone: a loop of links (path_resolution(7)).
    @Test func whatCannotBeLookedAtIsNotWiped() throws {
        let tree = try SysfsTree()
        #expect(symlink(tree.path + "/loop", tree.path + "/loop") == 0)
        #expect(throws: FileError.self) { try SecretWipe.wipe(tree.path + "/loop/secret") }
        tree["file"] = ""
        try SecretWipe.wipe(tree.path + "/file/secret")
        try SecretWipe.wipe(tree.path + "/none/secret")
    }

    @Test func whatALinkLeadsToStays() throws {
        let tree = try SysfsTree()
        tree["other"] = "kept"
        #expect(symlink(tree.path + "/other", tree.path + "/link") == 0)
        try SecretWipe.wipe(tree.path + "/link")
        #expect(try BoundedFile.text(tree.path + "/other") == "kept")
        #expect(access(tree.path + "/link", F_OK) != 0)
    }
}
