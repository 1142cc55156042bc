// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// Reads any AX3 or AX6 file block by block. Damaged blocks are counted and skipped. `CWATimeline` has one for
/// exports; checks and recovery read with it too.
package final class CWAReader {
    /// The file's header; nil when it is damaged. The blocks are read all the same.
    package let header: CWAHeader?
    /// Blocks that were skipped so far.
    package private(set) var damagedBlocks = 0
    /// Bytes at the end that are no whole block.
    package let tornBytes: Int
    /// Blocks in the file, good or not.
    package let blockCount: Int
    private let file: File
    private let firstBlock: Int
    private var next = 0
    /// The place in the file of the block that was read last, counted from 0, damaged ones included; -1 before the
    /// first. It is that of the block which `nextBlock` has just returned.
    package var position: Int { next - 1 }
    private var buffer: [UInt8] = []
    private var bufferStart = 0

    /// Opens a file. Throws where it has neither a header nor room for a block after one. `headerSize` replaces the
    /// length that the header gives, which may be damaged.
    package init(_ file: File, headerSize: Int? = nil) throws(FileError) {
        self.file = file
        let start = try file.read(CWAHeader.size, at: 0)
        header = CWAHeader(start)
        // The length of the header by its own length field.
        let announced = start.count >= 4 ? Int(start.uint16(2)) + 4 : 0
        let isPossible = header != nil && announced % 512 == 0 && announced >= 512
        firstBlock = headerSize ?? (isPossible ? announced : CWAHeader.size)
        let size = try file.size()
        blockCount = max(0, size - firstBlock) / CWABlock.size
        tornBytes = max(0, size - firstBlock) % CWABlock.size
        guard header != nil || blockCount > 0 else {
            throw .format(path: file.path, problem: "is not a CWA file: no header and no block")
        }
    }

    /// The next good block; nil at the end of the file.
    package func nextBlock() throws(FileError) -> CWABlock? {
        while next < blockCount {
            let bytes = try blockBytes(next)
            next += 1
            if let block = CWABlock(bytes) { return block }
            damagedBlocks += 1
        }
        return nil
    }

    private func blockBytes(_ index: Int) throws(FileError) -> [UInt8] {
        if buffer.isEmpty || index >= bufferStart + buffer.count / CWABlock.size {
            buffer = try file.read(128 * CWABlock.size, at: firstBlock + index * CWABlock.size)
            bufferStart = index
        }
        let offset = (index - bufferStart) * CWABlock.size
        guard offset + CWABlock.size <= buffer.count else { return [] }
        return Array(buffer[offset..<offset + CWABlock.size])
    }
}
