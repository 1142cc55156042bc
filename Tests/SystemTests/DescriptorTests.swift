// SPDX-License-Identifier: Apache-2.0
import CLinux
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
}
