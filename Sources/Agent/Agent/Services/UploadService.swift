// SPDX-License-Identifier: Apache-2.0

/// Keeps the uploader running until the group shuts down.
struct UploadService: Service {
    let uploader: Uploader

    func run() async throws {
        await withStopHandler {
            await uploader.run()
        } onStop: {
            uploader.stop()
        }
    }
}
