// SPDX-License-Identifier: Apache-2.0
import CFLAC
import Glibc
import SystemKit

/// One libFLAC encoder that writes into memory: call `drain` for the file's header, and after each `encode` and
/// `finish`. One thread at a time. `FLACWriter` has one.
final class FLACStream {
    /// Samples of frames that were handed out.
    private(set) var samplesOut = 0
    private let encoder: UnsafeMutablePointer<FLAC__StreamEncoder>
    private var output: [UInt8] = []
    /// Where libFLAC writes next, and how far it has written; it goes back only to patch the header.
    private var position = 0
    private var end = 0
    /// What libFLAC wrote again at an earlier position.
    private var patches: [SegmentPatch] = []
    /// libFLAC reads it until the end and does not free it.
    private var comments: UnsafeMutablePointer<FLAC__StreamMetadata>?

    init(rate: UInt32, blockSize: UInt32, tags: [(name: String, value: String)] = []) throws(FileError) {
        guard let encoder = FLAC__stream_encoder_new() else {
            throw .library(name: "libFLAC", problem: "cannot make an encoder: out of memory")
        }
        self.encoder = encoder
        FLAC__stream_encoder_set_channels(encoder, 1)
        FLAC__stream_encoder_set_bits_per_sample(encoder, 16)
        FLAC__stream_encoder_set_sample_rate(encoder, rate)
        FLAC__stream_encoder_set_compression_level(encoder, 3)
        FLAC__stream_encoder_set_blocksize(encoder, blockSize)
        // Rates above 48 kHz and odd ones are outside the subset that streaming needs.
        FLAC__stream_encoder_set_streamable_subset(encoder, 0)
        setComments(tags)
        let status = FLAC__stream_encoder_init_stream(
            encoder, Self.write, Self.seek, Self.tell, nil, Unmanaged.passUnretained(self).toOpaque())
        guard status == FLAC__STREAM_ENCODER_INIT_STATUS_OK else {
            throw .library(name: "libFLAC", problem: "refuses \(rate) samples per second (status \(status.rawValue))")
        }
    }

    deinit {
        FLAC__stream_encoder_delete(encoder)
        if let comments { FLAC__metadata_object_delete(comments) }
    }

    /// A comment that libFLAC has no memory for is left out.
    private func setComments(_ tags: [(name: String, value: String)]) {
        guard !tags.isEmpty, let object = FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT) else { return }
        comments = object
        for (name, value) in tags {
            var entry = FLAC__StreamMetadata_VorbisComment_Entry()
            guard FLAC__metadata_object_vorbiscomment_entry_from_name_value_pair(&entry, name, value) != 0 else {
                continue
            }
            if FLAC__metadata_object_vorbiscomment_append_comment(object, entry, 0) == 0 { free(entry.entry) }
        }
        var blocks: [UnsafeMutablePointer<FLAC__StreamMetadata>?] = [object]
        FLAC__stream_encoder_set_metadata(encoder, &blocks, 1)
    }

    func encode(_ samples: [Int32]) throws(FileError) {
        guard FLAC__stream_encoder_process_interleaved(encoder, samples, UInt32(samples.count)) != 0 else {
            throw .library(name: "libFLAC", problem: "cannot encode")
        }
    }

    /// Writes the last frame, and what the beginning of the file must say now that its
    /// length is known.
    func finish() throws(FileError) -> [SegmentPatch] {
        guard FLAC__stream_encoder_finish(encoder) != 0 else {
            throw .library(name: "libFLAC", problem: "cannot finish the stream")
        }
        return patches
    }

    /// The bytes since the last call.
    func drain() -> [UInt8] {
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }

    private func put(_ bytes: [UInt8], samples: Int) {
        if position == end {
            output += bytes
            end += bytes.count
            samplesOut += samples
        } else {
            patches.append(SegmentPatch(offset: position, bytes: bytes))
        }
        position += bytes.count
    }

    private static func this(_ client: UnsafeMutableRawPointer?) -> FLACStream? {
        client.map { Unmanaged<FLACStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let write: FLAC__StreamEncoderWriteCallback = { _, buffer, count, samples, _, client in
        guard let buffer, let stream = this(client) else { return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR }
        stream.put(Array(UnsafeBufferPointer(start: buffer, count: count)), samples: Int(samples))
        return FLAC__STREAM_ENCODER_WRITE_STATUS_OK
    }

    private static let seek: FLAC__StreamEncoderSeekCallback = { _, offset, client in
        this(client)?.position = Int(offset)
        return FLAC__STREAM_ENCODER_SEEK_STATUS_OK
    }

    private static let tell: FLAC__StreamEncoderTellCallback = { _, offset, client in
        offset?.pointee = UInt64(this(client)?.position ?? 0)
        return FLAC__STREAM_ENCODER_TELL_STATUS_OK
    }
}
