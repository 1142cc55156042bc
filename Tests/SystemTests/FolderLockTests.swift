// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

@Suite struct FolderLockTests {
    private func lock(_ folder: Folder, isShared: Bool = false) throws -> FolderLock {
        try FolderLock(
            folder.path + "/lock", of: folder.path, taken: "another program has this folder", remedy: "stop it first",
            isShared: isShared)
    }

    @Test(arguments: [(true, true, true), (true, false, false), (false, true, false), (false, false, false)])
    func onlyThoseThatShareItHaveItAtOnce(first: Bool, second: Bool, isFree: Bool) throws {
        let folder = try Folder()
        let held = try lock(folder, isShared: first)
        #expect(((try? lock(folder, isShared: second)) != nil) == isFree)
        held.release()
        _ = try lock(folder, isShared: second)
    }

    /// flock(2): a lock belongs to the open file, so that a second one of the same process
    /// is a second one.
    @Test func aSecondOneSaysWhoHasTheFolder() throws {
        let folder = try Folder()
        let first = try lock(folder)
        let fault = #expect(throws: FileError.self) { _ = try lock(folder) }
        #expect(
            fault?.description
                == "\(folder.path): another program has this folder (process \(getpid())); stop it first")
        first.release()
        let second = try lock(folder)
        second.release()
        second.release()
    }

    /// Of several the last to come may be gone; of who had it alone before, nothing is left either.
    @Test func ofThoseThatShareItNoneIsNamed() throws {
        let folder = try Folder()
        try lock(folder).release()
        let held = try lock(folder, isShared: true)
        let fault = #expect(throws: FileError.self) { _ = try lock(folder) }
        #expect(fault?.description == "\(folder.path): another program has this folder; stop it first")
        held.release()
    }

    @Test func itGoesWithItsOwner() throws {
        let folder = try Folder()
        do { _ = try lock(folder) }
        _ = try lock(folder)
    }

    @Test func aPlaceThatIsNoFileIsNamed() throws {
        let folder = try Folder()
        try File.makeFolder(folder.path + "/lock")
        let fault = #expect(throws: FileError.self) { _ = try lock(folder) }
        #expect(fault?.description.hasPrefix("\(folder.path)/lock: ") == true, "\(fault?.description ?? "")")
    }

    @Test(arguments: [(true, "mount the disk so that it can be written"), (false, "its folder must be writable")])
    func aFolderThatCannotBeWrittenComesWithItsRemedy(isReadOnly: Bool, remedy: String) throws {
        let folder = try Folder()
        if isReadOnly {
            guard folder.mountSmall() else { return print("SKIPPED: only root can mount") }
            let flags = CUnsignedLong(MS_REMOUNT | MS_RDONLY)
            try #require(mount("tmpfs", folder.path, "tmpfs", flags, "size=1m") == 0)
        } else {
            try File.makeFolder(folder.path + "/lock")
        }
        let fault = #expect(throws: FileError.self) { _ = try lock(folder) }
        #expect(fault?.explanation.remedy == remedy, "\(String(describing: fault))")
    }

    /// Some file systems of networks and in user space have none. Kept or not, its file is closed in the end.
    @Test(arguments: [
        (ENOLCK, true, true), (ENOSYS, true, true), (EOPNOTSUPP, true, true), (EOPNOTSUPP, false, false),
        (EWOULDBLOCK, true, false), (EIO, true, false),
    ])
    func aFileSystemWithoutLocksKeepsNoneOutWhereThatIsAllowed(code: CInt, orNone: Bool, isMade: Bool) throws {
        let folder = try Folder()
        var descriptor: CInt = -1
        let lock = try? FolderLock(
            folder.path + "/lock", of: folder.path, taken: "", remedy: "", orNone: orNone,
            by: { file, _ in
                descriptor = file
                errno = code
                return -1
            })
        #expect((lock != nil) == isMade)
        lock?.release()
        // The number may already be that of another file.
        var (file, present) = (stat(), stat())
        #expect(stat(folder.path + "/lock", &file) == 0)
        let isOpen =
            fstat(descriptor, &present) == 0 && (present.st_dev, present.st_ino) == (file.st_dev, file.st_ino)
        #expect(!isOpen)
    }
}
