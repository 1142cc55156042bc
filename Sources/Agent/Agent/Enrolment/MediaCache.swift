// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// Keeps the sounds that a study plays, those of its videos too; `StudySounds` has them fetched and decoded once at
/// enrolment. File names come from a digest of the address, so that two files of the same name do not collide.
package struct MediaCache: Sendable {
    /// More bytes are no sound of a study.
    private static let mostBytes = 64 << 20

    /// Why a sound cannot be played.
    package struct Problem: Sendable, Hashable {
        /// Where the study names the sound.
        package let path: String
        package let reason: String

        package var text: String { "\(path): \(reason)" }
    }

    private let folder: String
    private let decoder: SoundDecoder

    /// A cache in that folder, which is made when it is needed.
    package init(folder: String, decoder: SoundDecoder = SoundDecoder()) {
        self.folder = folder
        self.decoder = decoder
    }

    /// Fetches the sounds with `get` and makes them ready to be played, blocking. Returns what cannot be fetched
    /// or played.
    package func fetch(
        _ media: [MediaReference], get: (_ address: String) throws -> [UInt8] = { try StudyConnection().get($0) }
    ) -> [Problem] {
        let sounds = media.filter { [.audio, .video].contains($0.kind) }
        guard !sounds.isEmpty else { return [] }
        mkdir(folder, 0o750)
        return sounds.compactMap { sound in
            do {
                guard !sound.source.isEmpty else { throw SoundFlaw("no address") }
                try keep(try get(sound.source), as: try path(of: sound))
                return nil
            } catch {
                return Problem(path: sound.path, reason: "\(sound.source) cannot be played: \(error)")
            }
        }
    }

    /// What is in the bytes decides, not what the file is called; 16-bit PCM needs no decoding.
    private func keep(_ bytes: [UInt8], as path: String) throws {
        guard bytes.count <= Self.mostBytes else { throw SoundFlaw("larger than \(Self.mostBytes >> 20) MB") }
        // Its length is bounded by that of its bytes.
        if let wave = try? WaveFile(bytes: bytes) {
            guard !wave.samples.isEmpty else { throw SoundFlaw("there is no sound in it") }
            return try AtomicFile.write(bytes, to: path)
        }
        let (raw, decoded) = (path + ".raw", path + ".wav")
        try AtomicFile.write(bytes, to: raw)
        defer { unlink(raw) }
        defer { unlink(decoded) }
        try decoder.decode(raw, into: decoded)
        let wave = try WaveFile(bytes: BoundedFile.read(decoded, limit: Self.mostBytes))
        guard !wave.samples.isEmpty else { throw SoundFlaw("there is no sound in it") }
        guard wave.samples.count <= SoundDecoder.mostSamples else {
            throw SoundFlaw(SoundDecoder.tooLong(rate: wave.rate * wave.channels))
        }
        try AtomicFile.place(decoded, at: path)
    }

    /// A cached sound as mono samples; blocks on the disk.
    package func samples(of sound: MediaReference) throws -> (samples: [Int16], rate: Int) {
        let file = try path(of: sound)
        let bytes = try BoundedFile.read(file, limit: Self.mostBytes)
        // An enrolment of an earlier version kept FLAC as it was.
        if bytes.starts(with: Array("fLaC".utf8)) {
            let decoded = try FLACReader.read(File(file, .read))
            return (
                WaveFile(rate: decoded.rate, channels: decoded.channels, samples: decoded.samples).mono, decoded.rate
            )
        }
        let wave = try WaveFile(bytes: bytes)
        return (wave.mono, wave.rate)
    }

    private func path(of sound: MediaReference) throws -> String {
        "\(folder)/\(try Digest(ofText: sound.source).description.prefix(16))"
    }
}
