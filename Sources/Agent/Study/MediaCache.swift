// SPDX-License-Identifier: Apache-2.0
import Glibc
import Hardware
import Recording
import Store
import StudyModel
import Upload

/// Sounds that a study plays, fetched once at enrolment. File names come from a digest of the address, so that two files of
/// the same name do not collide.
public struct MediaCache: Sendable {
    private let folder: String

    /// A cache in that folder, which is made when it is needed.
    public init(folder: String) { self.folder = folder }

    /// Fetches what can be played with `get`, blocking; what could not be fetched, in words.
    public func fetch(
        _ media: [MediaReference], get: (_ address: String) throws -> [UInt8] = StudyFetch.get
    ) -> [String] {
        let sounds = media.filter { $0.kind == .audio && !$0.source.isEmpty }
        guard !sounds.isEmpty else { return [] }
        mkdir(folder, 0o750)
        return sounds.compactMap { sound in
            do {
                let bytes = try get(sound.source)
                try AtomicFile.write(bytes, to: try path(of: sound))
                _ = try samples(of: sound)
                return nil
            } catch {
                return "\(sound.path): \(sound.source) cannot be played: \(error)"
            }
        }
    }

    /// A cached sound as mono samples; blocks on the disk.
    public func samples(of sound: MediaReference) throws -> (samples: [Int16], rate: Int) {
        let file = try path(of: sound)
        let head = try BoundedFile.read(file, limit: 64 << 20)
        if head.starts(with: Array("fLaC".utf8)) {
            let decoded = try FLACReader.read(DiskFile(file, .read))
            return (
                WaveFile(rate: decoded.rate, channels: decoded.channels, samples: decoded.samples).mono, decoded.rate
            )
        }
        let wave = try WaveFile(bytes: head)
        return (wave.mono, wave.rate)
    }

    private func path(of sound: MediaReference) throws -> String {
        "\(folder)/\(try Digest(of: Array(sound.source.utf8)).description.prefix(16))"
    }
}
