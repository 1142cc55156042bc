// SPDX-License-Identifier: Apache-2.0

/// Keeps the agent's `Uploader` running until its `ServiceGroup` stops it.
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
