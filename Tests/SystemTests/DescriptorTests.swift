// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import SystemKit
import Testing

@Suite struct DescriptorTests {
    @Test func anEmptyPipeHasNothingAndAClosedOneIsAtItsEnd() throws {
        let reading = try openPipe()
        #expect(try reading.read(upTo: 4) == [])
        let pipe = try Pipe(name: "empty")
        #expect(try pipe.reading.read(upTo: 4) == nil)
    }

    @Test func aFullPipeGivesUpAfterPatience() throws {
        let pipe = try Pipe(name: "full")
        let error = #expect(throws: SystemError.self) {
            try pipe.writing.write([UInt8](repeating: 0, count: 1 << 20), patience: .milliseconds(1))
        }
        #expect(error == SystemError(code: ETIMEDOUT, operation: "write to", place: "full"))
    }

    @Test(arguments: [
        (ENOENT, "connected"), (EACCES, "access"), (EBUSY, "another program"), (EIO, "open /dev/x"),
    ]) func errorsNameThePlaceAndTheRemedy(_ code: CInt, _ word: String) {
        let text = SystemError(code: code, operation: "open", place: "/dev/x").description
        #expect(text.contains("/dev/x") && text.contains(word))
    }

    private func openPipe() throws -> Descriptor {
        let pipe = try Pipe(name: "closed")
        return Descriptor(owning: dup(pipe.reading.rawValue), path: "closed")
    }

    /// A pipe holds less than this (pipe(7)): it is written piece by piece, and read as it was written.
    @Test(arguments: [0, 1, 4_096, 300_000]) func whatIsWrittenIsRead(count: Int) throws {
        let pipe = try Pipe(name: "pieces")
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let writing = dup(pipe.writing.rawValue)
        let thread = try NamedThread(name: "writes") {
            do {
                try Descriptor(owning: writing, path: "pieces").write(bytes, patience: .seconds(100))
            } catch { Issue.record(error) }
        }
        var read: [UInt8] = []
        while read.count < count {
            var waiting = pollfd(fd: pipe.reading.rawValue, events: Int16(POLLIN), revents: 0)
            let isReady = CLinux.poll(&waiting, 1, 60_000) == 1
            try #require(isReady)
            read += try pipe.reading.read(upTo: 10_000) ?? []
        }
        thread.join()
        #expect(read == bytes)
        #expect(try pipe.reading.read(upTo: 1) == nil)
    }

    @Test func whatCannotBeReadOrWrittenIsNoEmptiness() throws {
        let writer = try Descriptor(opening: "/dev/null", flags: O_WRONLY)
        #expect(throws: SystemError(code: EBADF, operation: "read", place: "/dev/null")) {
            try writer.read(upTo: 1)
        }
        let reader = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        #expect(throws: SystemError(code: EBADF, operation: "write to", place: "/dev/null")) {
            try reader.write([1])
        }
        #expect(throws: SystemError(code: ENOENT, operation: "open", place: "/nowhere/x")) {
            _ = try Descriptor(opening: "/nowhere/x", flags: O_RDONLY)
        }
    }
}
