// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import SystemKit

/// statvfs(3) counts in `fsblkcnt_t`, 64 bits without a sign, and a file system in user space
/// may hand out any of them (Linux, fs/fuse/inode.c, `convert_fuse_statfs`): no number of a disk
/// ends the program.
@Suite struct DiskSpaceTests {
    @Test(arguments: [
        (UInt64(0), UInt64(0), Int64(0)), (1, 4096, 4096), (1 << 40, 4096, 1 << 52), (.max, 1, .max),
        (.max, 4096, .max),
        (1 << 63, 1, .max), (1 << 52, 4096, .max), (.max, 0, 0), (.max, .max, .max),
    ])
    func bytesAreBlocksTimesTheirSizeOrTheLargestNumber(_ blocks: UInt64, _ unit: UInt64, _ bytes: Int64) {
        let space = DiskSpace(free: blocks, total: blocks, unit: unit)
        #expect(space.free == bytes && space.total == bytes)
    }

    /// df(1) of coreutils asks the same kernel.
    @Test func itIsWhatOtherProgramsSee() throws {
        let pipe = try #require(popen("df --output=size -B1 / | tail -1", "r"))
        defer { pclose(pipe) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = fread(&buffer, 1, buffer.count, pipe)
        let words = String(decoding: buffer.prefix(count), as: UTF8.self).filter(\.isNumber)
        let space = try #require(DiskSpace(at: "/"))
        #expect(String(space.total) == words && space.free <= space.total)
        #expect(DiskSpace(at: "/no-such-folder") == nil)
    }
}
