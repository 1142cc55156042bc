// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Made-up and damaged documents for the reader of configurations. A trap ends the program; the
/// last line says where it was.
@main struct TOMLFuzz {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        guard let count = words.first.flatMap({ Int($0) }), count > 0 else {
            print("usage: TOMLFuzz EXECUTIONS [FILE.toml ...]: the files are damaged as well")
            exit(2)
        }
        let seeds = words.dropFirst().compactMap(bytes)
        var (read, largest) = (0, 0)
        for number in 0..<count {
            if number % 10_000 == 0 { message("at execution \(number)\n") }
            let bytes = document(number, seeds)
            largest = max(largest, bytes.count)
            if let table = try? TOMLTable(parsing: bytes) { read += table.keys.isEmpty ? 0 : 1 }
        }
        print("executions: \(count), of which read: \(read); the largest had \(largest) bytes; crashes: 0")
    }

    /// A third is as it was made, a third damaged, a third a damaged file.
    private static func document(_ number: Int, _ seeds: [[UInt8]]) -> [UInt8] {
        var maker = DocumentMaker(number: number)
        switch number % 3 {
        case 0: return maker.document()
        case 1 where !seeds.isEmpty: return maker.damaged(seeds[number / 3 % seeds.count])
        default: return maker.damaged(maker.document())
        }
    }

    private static func message(_ text: String) { write(2, text, text.utf8.count) }

    private static func bytes(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}
