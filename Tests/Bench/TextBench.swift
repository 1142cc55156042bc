// SPDX-License-Identifier: Apache-2.0
import Device
import Platforms
import Study
import SystemKit

/// What is read as text: a receiver's sentences, a study's protocol.
enum TextBench {
    /// Bytes to sentences to fixes.
    static func nmea(_ path: String) throws -> Figure {
        let bytes = try contents(path)
        var fixes = 0
        let rate = Stopwatch.rate {
            var framer = NMEAFramer()
            var epochs = NMEAEpochs()
            for start in stride(from: 0, to: bytes.count, by: 65_536) {
                framer.append(bytes.span.extracting(start..<min(start + 65_536, bytes.count))) { sentence in
                    if epochs.append(sentence) != nil { fixes += 1 }
                }
            }
            return framer.sentences
        }
        guard fixes > 0 else { throw BenchFault.nothingDecoded(path) }
        return Figure(name: "NMEA decode", value: rate, unit: "sentences/s")
    }

    /// A protocol of schema, validated; its size is that of the file.
    static func schema(_ path: String) throws -> Figure {
        let bytes = try contents(path)
        let perSecond = try Stopwatch.rate {
            try PlatformCatalog.standard.decode(StudySource(bytes)).tasks.isEmpty ? 0 : 1
        }
        let megabytes = (Double(bytes.count) / 100_000).rounded() / 10
        return Figure(name: "schema decode of \(megabytes) MB", value: 1 / perSecond, unit: "s")
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        let file = try File(path, .read)
        return try file.read(try file.size(), at: 0)
    }
}

/// Why a figure would mean nothing.
enum BenchFault: Error, CustomStringConvertible {
    case nothingDecoded(String)

    var description: String {
        switch self {
        case .nothingDecoded(let path): "nothing could be decoded in \(path); give the bench a file with fixes"
        }
    }
}
