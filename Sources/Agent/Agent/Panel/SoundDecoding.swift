// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// What the decoding process does: one file in, WAV of 16 bits out, by libsndfile, which is loaded
/// when it is needed, or by a program that takes this process's place.
///
/// The process gives up everything it does not need before it decodes: with libsndfile no further
/// file can be opened and no connection made (no descriptor is left to be had), a program has a
/// few; memory, time and output are bounded.
package enum SoundDecoding {
    private static let memoryLimit: rlim_t = 192 << 20
    private static let processorSeconds: rlim_t = 150
    private static let headerBytes = 44
    private static let blockFrames = 4096
    /// For a program, which has to open itself, its libraries and two files.
    private static let programDescriptors: rlim_t = 16

    /// Decodes; what is wrong is thrown in words. Only for a process that does nothing else:
    /// its limits stay.
    package static func run(_ source: String, into target: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw FileError.last(source) }
        // What libsndfile cannot read: another program takes this process's place, and `become`
        // does not return.
        if let container = SoundContainer(bytes(of: input, at: 0, 16)) {
            try refuseTruncated(container, input)
            let command = try SoundProgram.command(for: container, source, target)
            confine(descriptors: programDescriptors)
            try SoundProgram.become(command)
        }
        let library = try SoundLibrary()
        let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        guard output >= 0 else { throw FileError.last(target) }
        confine(descriptors: 0)
        let sound = try library.open(input)
        defer { sound.close() }
        var writer = WaveOutput(descriptor: output, path: target)
        try writer.put([UInt8](repeating: 0, count: headerBytes))
        let frames = try copy(sound, to: &writer)
        guard frames > 0 else { throw SoundFlaw("there is no sound in it") }
        try writer.finish(rate: sound.rate, frames: frames)
    }

    private static func bytes(of descriptor: CInt, at offset: off_t, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let count = pread(descriptor, &bytes, bytes.count, offset)
        return Array(bytes.prefix(max(0, count)))
    }

    /// By the length in the container itself, whichever program decodes it.
    private static func refuseTruncated(_ container: SoundContainer, _ input: CInt) throws {
        var status = stat()
        guard fstat(input, &status) == 0 else { return }
        let size = UInt64(status.st_size)
        let claimed = container.claimedSize(of: size) { bytes(of: input, at: off_t(clamping: $0), $1) }
        guard let claimed, claimed > size else { return }
        throw SoundFlaw("it is cut off: \(size) of at least \(claimed) bytes are there; fetch or convert it again")
    }

    private static func confine(descriptors: rlim_t) {
        func limit(_ resource: __rlimit_resource, _ most: rlim_t) {
            var bound = rlimit(rlim_cur: most, rlim_max: most)
            setrlimit(__rlimit_resource_t(resource.rawValue), &bound)
        }
        limit(RLIMIT_CORE, 0)
        limit(RLIMIT_DATA, memoryLimit)
        limit(RLIMIT_CPU, processorSeconds)
        // A little more than is allowed, by which a program's output shows that it is too long.
        limit(RLIMIT_FSIZE, rlim_t(headerBytes + 2 * SoundDecoder.mostSamples + 1 << 20))
        limit(RLIMIT_NOFILE, descriptors)
        _ = nice(10)
    }

    /// The mean of all channels, in which nothing can overflow; louder than full
    /// scale is cut there.
    private static func copy(_ sound: OpenSound, to writer: inout WaveOutput) throws -> Int {
        var block = [Float](repeating: 0, count: blockFrames * sound.channels)
        var bytes: [UInt8] = []
        var frames = 0
        while true {
            let count = sound.read(&block, frames: blockFrames)
            guard count > 0 else { break }
            frames += count
            guard frames <= SoundDecoder.mostSamples else {
                throw SoundFlaw(SoundDecoder.tooLong(rate: sound.rate))
            }
            bytes.removeAll(keepingCapacity: true)
            for frame in 0..<count {
                let start = frame * sound.channels
                let sum = block[start..<start + sound.channels].reduce(0) { $0 + Double($1) }
                let value = (sum / Double(sound.channels) * 32_768).rounded(.towardZero)
                let sample = value.isNaN ? 0 : Int16(min(max(value, -32_768), 32_767))
                bytes.append(UInt8(truncatingIfNeeded: sample))
                bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
            }
            try writer.put(bytes)
        }
        if let damage = sound.damage { throw SoundFlaw("it is damaged after \(frames / sound.rate) s: \(damage)") }
        // Half a second aside, less than two thirds of what the header promises: a header may be an
        // estimate. A stream of unknown length promises nearly `Int.max`.
        let isLengthKnown = sound.claimed < Int.max / 4
        if isLengthKnown, sound.claimed - sound.rate / 2 > frames + frames / 2 {
            throw SoundFlaw(
                "it ends after \(frames / sound.rate) of \(sound.claimed / sound.rate) s: the file is cut off, or its header is wrong"
            )
        }
        return frames
    }
}

/// A WAV file being written; its header comes last.
private struct WaveOutput {
    let descriptor: CInt
    let path: String

    func put(_ bytes: [UInt8]) throws {
        guard File.write(bytes[...], to: descriptor) else { throw FileError.last(path) }
    }

    func finish(rate: Int, frames: Int) throws {
        func long(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        func word(_ value: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        // Format 1 (PCM), one channel, rate, bytes a second, bytes a frame, bits a sample.
        let header =
            Array("RIFF".utf8) + long(36 + 2 * frames) + Array("WAVEfmt ".utf8) + long(16) + word(1) + word(1)
            + long(rate) + long(2 * rate) + word(2) + word(16) + Array("data".utf8) + long(2 * frames)
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError.last(path) }
        try put(header)
        guard fsync(descriptor) == 0 else { throw FileError.last(path) }
    }
}
