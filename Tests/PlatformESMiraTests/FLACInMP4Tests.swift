// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformESMira

/// A tone of 0.15 s at 16 kHz, written by the reference encoder (flac 1.4.2,
/// `-b 576 --no-padding`).
enum FLACTone {
    static let bytes: [UInt8] = {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var (bits, count) = (0, 0)
        var bytes: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            bits = (bits << 6 | (alphabet.firstIndex(of: byte) ?? 0)) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }()

    private static let text =
        "ZkxhQwAAACICQAJAAABRAAFUA+gA8AAACWDTn1cgLRSL1g6zgnwFmx/hgQAAKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/+CUIAKEYADgCKgRbBlMRQBIFo0NzYlMCUwekjdpzpXVTNPJfFFvdrJPBjcQqXakSGJGITbEmXKYHMe8WdXhVSHGVGxoQ3EM5iFE98pY/fvCwu4w7E5KZCIjMZTUhWx5H50HYXwusRcRhQM41EgzhJSffPi9YOhXxPnZcYo2TDZEIS4nmh0fC/rRUPUovWNMWYszSI7FRCt6GlG8mP+/pZQqIFCWoamoIcCCgkyVlZVnLHdWDlSD5ikrbCUasJWGFDCm+KiiorvDnxbn9W9UKkjyOt1dWmFutbCYonE/JQWkPGU1ZoZsZuEtGLtSseHQXqUd2KzmUmTBFG4zSBDiOnxYXHr0jzBTLrCRGJwiUMqCWTYcIHR1XuVV6w5JNDJQxwbhHE2zPosLH78nhyDwQKNaaCcgmwlQRYRbF8Fx4Rb36OkrZGxmhsJzXQgUIL8evQGhd//glCAGmGPUy9oj4J/oDAIpHrfGUZwbsgRzEU3mq2nQWrRUe/YoQ4IcNxMTCVmqXRXYtP4eugsMHCXiVkGURsxlJGfWHQ8cqCwuVDiFGKMjgIOGzEpErdC6Fqv/xzCy4ol4kMoJ2GUao1Y5IKw5g6HgpB5nZzKJINzBBQSiOJUXIOYKwqD5y5YtZwhxMhGRDZGychUjvlLX/OYOIdt8JzQhqJmRKIOGHIfKqr3qlZ7EVmjYTIRBChvRCwg8j8+4Uh53EKlM4M7EZmRoSt4wcThxgVFFRX6OxQw4MFAzjUxITEsaLY6BzDw+cpCqS8YKAhyDVBMThFzR2e0vpaW90KQUMOCFMzUMphChrEqL0KuHQXF6oduoYUbibCZjKEqcQ4gc1HYW919LsXGckNoEo3ISNSHCBzUOSg4IB4QHM6ohzM4RHDNCEpk5FIcw4zXf/+CUIAq8Y9Gvzp/NC8z0AkCo610dJzShigiiY0EKCCmjp3QdCq+PbyhBxFYxQ2TBFCciWCBQgcxXx6pbh0cx8"
        + "MFBvhIJRlDWm34gtnFRRZ1KzxWY4SthMhGTGsxC3HMFcYDsWFizFGOGKJmIkBgoE7KJ/vh0oVFP2Cs8RzVEbGahKbiTRSOgUQFMPD5ymDjHJeNWwnGRqGONLNVv5cFMP3EBWkqU2xkRjUZxlEFNVdncpgfQVhYQ6N0NwihOIhnEZ2y4pB+wex1VSFUIKbiIoJxOGkMoICgg4g+wUg9gcx1R0KJ8ThHDbGyETkUhdTsf0dhYsfKIczdAxQmaAhTcY5jiDyKOYLi/1bqxRGkGRGw1gQ5rZ6cwW9SxeuvhrRKJsGcwjmZ0Zf5xUUWUcilSdG5EwmwRRNiRTPMe16OzlvxzHEvDFEQmNDJoYC6j/+CUIA6gY/mX8PPow+FEAljsHyqr46FIUnbI2E4bkZITFEWHMHIdafFhzDiOkMpicJkwS0SWaCmPB04t/dCkFCOSkZqGURMaROIFxBSsUuFYKi44xUhqzMzUCAoDPTXs+Oh45UFtOY+YcBAcGmIhEJDRq33tLi13tHMOjCsT4hFDJxkRqZU5grKtOgcQFMPJHZCghw0oMcMnCWNM7HTisP2BUXx0lgxTGrDVBubmVEPoWHQVyB9goh2mpEgkM0M3COiVWFEB0QCjApB9Vu6EOCdBMhGRMYoxdO6Dop4Kx4ucQcEOJkJiMyEcNDhHuPuXD51XHIOGHEqI2M0IRoyhj5DmDiAph7QogXRaymnGbhlGxOGHBOU375SwtLVwqTFGsNDIhEQ1MUauQs7wsCkP/V1Y4yOEbjYmJkI7ZcViqtOgt/hxjmKGcSERhAI7v//hlCARfOxgJ3QhRBoQEhwzS5LGqTJeioV4Xx8fq9HmJQyOwhlGuGO1k5kmCUFoSmNmS/EKyNwQoSGyVVTFsWcGhjac3fohoCuuOLc+lAMuA"
}

@Suite struct FLACInMP4Tests {
    /// As `flac -a` of the reference implementation (1.4.2) lists the frames of that file: offset,
    /// bits / 8, blocksize.
    @Test func framesLieWhereTheReferenceFindsThem() throws {
        let found = try #require(FLACFrames(FLACTone.bytes))
        #expect(found.rate == 16_000 && found.channels == 1 && found.bits == 16)
        #expect(found.frames.map(\.start) == [86, 426, 761, 1_094, 1_428])
        #expect(found.frames.map(\.length) == [340, 335, 333, 334, 81])
        #expect(found.frames.map(\.samples) == [576, 576, 576, 576, 96])
    }

    /// This very file was played by ffmpeg 5.1, sample by sample the same as the tone, and PHP
    /// 8.2's `mime_content_type` calls it `video/mp4`.
    @Test func theTablesOfTheContainerLeadToTheFrames() throws {
        let file = try #require(FLACInMP4.file(FLACTone.bytes))
        #expect(file.count == 2_038 && Array(file[4..<12]) == Array("ftypisom".utf8))
        #expect(Self.sum(file) == 0x875a_9cc8_9304_7f7f)
        let offset = try #require(Self.content("stco", file).map { Self.number(file, $0 + 8) })
        #expect(file[offset...].starts(with: [0xFF, 0xF8]) && file[offset...].elementsEqual(FLACTone.bytes[86...]))
        let sizes = try #require(Self.content("stsz", file))
        #expect((0..<5).map { Self.number(file, sizes + 12 + 4 * $0) } == [340, 335, 333, 334, 81])
    }

    /// RFC 9639, 9.1.1: the bits of the block size; 6 and 7 have it behind the number of the frame, less one.
    @Test(
        arguments: [
            (0, [], nil), (1, [], 192), (2, [], 576), (3, [], 1_152), (4, [], 2_304), (5, [], 4_608),
            (6, [0x00], 1), (6, [0x3F], 64), (6, [0xFF], 256), (7, [0x00, 0xFF], 256), (7, [0x0F, 0xFF], 4_096),
            (7, [0xFF, 0xFE], 65_535), (8, [], 256), (9, [], 512), (14, [], 16_384), (15, [], 32_768),
        ] as [(UInt8, [UInt8], Int?)])
    func aFrameHoldsAsManySamplesAsItsHeaderSays(code: UInt8, behind: [UInt8], samples: Int?) {
        // 16 kHz, one channel of 16 bits; the checksum of the header is not looked at, and the samples are constant.
        var frame: [UInt8] = [0xFF, 0xF8, code << 4 | 5, 0x08, 0] + behind + [0, 0, 0, 0]
        let sum = Self.checksum(frame)
        frame += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
        let found = FLACFrames(Array(FLACTone.bytes[..<86]) + frame + frame)
        #expect(found?.frames.map(\.samples) == samples.map { [$0, $0] })
    }

    @Test func whatIsNoWholeFileIsRefused() {
        #expect(FLACInMP4.file([]) == nil && FLACInMP4.file(Array("fLaC".utf8)) == nil)
        for count in stride(from: 0, to: FLACTone.bytes.count - 1, by: 7) {
            let frames = FLACFrames(Array(FLACTone.bytes.prefix(count)))?.frames ?? []
            #expect(frames.allSatisfy { $0.start + $0.length <= count })
        }
        var broken = FLACTone.bytes
        broken[500] ^= 1
        #expect(FLACInMP4.file(broken) == nil)
    }

    private static func content(_ name: String, _ file: [UInt8]) -> Int? {
        (0..<file.count - 4).first { file[$0...].starts(with: Array(name.utf8)) }.map { $0 + 4 }
    }

    private static func number(_ file: [UInt8], _ place: Int) -> Int {
        file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// RFC 9639, 9.3, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : (sum << 1) ^ 0x8005 }
        }
        return sum
    }

    /// FNV-1a.
    private static func sum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
