// SPDX-License-Identifier: Apache-2.0
import Glibc

/// libsndfile, by which `SoundDecoding` reads sounds, loaded by name so that nothing else needs it. Its types are
/// those of `sndfile.h`, stable since 1.0.
struct SoundLibrary {
    /// What Debian's package `libsndfile1` installs; MP3 is read from its version 1.1 on (12 has
    /// 1.2.0, 13 has 1.2.2).
    static let name = "libsndfile.so.1"

    /// `SF_INFO`.
    struct Info {
        var frames: Int64 = 0
        var rate: CInt = 0
        var channels: CInt = 0
        var format: CInt = 0
        var sections: CInt = 0
        var isSeekable: CInt = 0
    }

    typealias Open = @convention(c) (CInt, CInt, UnsafeMutableRawPointer, CInt) -> OpaquePointer?
    typealias Read = @convention(c) (OpaquePointer, UnsafeMutablePointer<Float>, Int64) -> Int64
    typealias Code = @convention(c) (OpaquePointer?) -> CInt
    typealias Words = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?

    private static let readOnly: CInt = 0x10
    private static let typeMask: CInt = 0x0FFF_0000

    private let openFile: Open
    fileprivate let readFrames: Read
    fileprivate let errorCode: Code
    fileprivate let words: Words
    fileprivate let closeFile: Code

    /// Loads it; throws where it is not installed.
    init() throws {
        guard let handle = dlopen(Self.name, RTLD_NOW | RTLD_LOCAL) else {
            throw SoundFlaw("\(Self.name) not found: apt install libsndfile1, and try again")
        }
        func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
            guard let symbol = dlsym(handle, name) else { throw SoundFlaw("\(Self.name) has no \(name)") }
            return symbol
        }
        openFile = unsafeBitCast(try symbol("sf_open_fd"), to: Open.self)
        readFrames = unsafeBitCast(try symbol("sf_readf_float"), to: Read.self)
        errorCode = unsafeBitCast(try symbol("sf_error"), to: Code.self)
        words = unsafeBitCast(try symbol("sf_strerror"), to: Words.self)
        closeFile = unsafeBitCast(try symbol("sf_close"), to: Code.self)
    }

    /// The sound in an open file, by what is in it and not by its name.
    func open(_ descriptor: CInt) throws -> OpenSound {
        var info = Info()
        let file = withUnsafeMutableBytes(of: &info) { bytes in
            bytes.baseAddress.flatMap { openFile(descriptor, Self.readOnly, $0, 0) }
        }
        guard let file else { throw SoundFlaw("not a playable sound (MP3, Ogg, FLAC, WAV): \(text(nil))") }
        guard Self.types.contains(info.format & Self.typeMask) else {
            throw SoundFlaw("unsupported sound format; convert it to MP3, Ogg, FLAC or WAV")
        }
        guard (1...8).contains(info.channels), (1_000...384_000).contains(info.rate) else {
            throw SoundFlaw("\(info.channels) channels at \(info.rate) Hz are not supported")
        }
        return OpenSound(
            library: self, file: file, rate: Int(info.rate), channels: Int(info.channels), claimed: Int(info.frames))
    }

    fileprivate func text(_ file: OpaquePointer?) -> String {
        words(file).map { String(cString: $0) } ?? "no reason given"
    }

    /// WAV in its three forms, AIFF, FLAC, Ogg, MPEG: `SF_FORMAT_...`.
    private static let types: Set<CInt> = [0x01_0000, 0x02_0000, 0x13_0000, 0x17_0000, 0x20_0000, 0x22_0000, 0x23_0000]
}

struct OpenSound {
    fileprivate let library: SoundLibrary
    fileprivate let file: OpaquePointer
    /// Frames per second.
    let rate: Int
    let channels: Int
    /// Frames that its header promises; MP3's is often an estimate.
    let claimed: Int

    /// At most this many frames, interleaved; 0 at the end, or where it cannot go on.
    func read(_ block: inout [Float], frames: Int) -> Int {
        let file = file
        return block.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { Int(library.readFrames(file, $0, Int64(frames))) } ?? 0
        }
    }

    /// What is wrong with it so far; nil = nothing.
    var damage: String? { library.errorCode(file) == 0 ? nil : library.text(file) }

    func close() { _ = library.closeFile(file) }
}
